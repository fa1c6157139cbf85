"""Opens PDF documents for everything that reads or draws them."""

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import FileSkipped


def open_pdf(content: bytes) -> pdfium.PdfDocument:
    """Open the PDF in `content`.

    Raises:
        FileSkipped: it is broken or encrypted.
    """
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise FileSkipped("it is encrypted: save a copy without a password") from error
        raise FileSkipped("it is not a readable PDF: it may be damaged or cut off") from error
