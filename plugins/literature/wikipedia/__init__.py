"""Wikipedia: articles of the encyclopedia in the edition of a language, read in the revision that is linked to."""
