"""The page: what a browser is shown of Elcano."""
