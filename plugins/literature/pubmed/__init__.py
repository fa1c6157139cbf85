"""PubMed: abstracts and citations of biomedical literature, asked through NCBI's E-utilities."""
