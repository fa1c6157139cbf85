"""Reports as documents: HTML, bibliographies, quoted tables."""
