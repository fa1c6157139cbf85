"""Operations: what keeps an installation running; each part is off, or plain, until settings switch it on."""
