FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# The service's own account: it may write to its folder and to nothing else.
RUN useradd --system --uid 10001 --home-dir /var/lib/headjudge headjudge \
 && install -d -o headjudge -g headjudge /var/lib/headjudge

WORKDIR /srv/headjudge
COPY requirements.txt .
# The upper part of the file; what follows the marker is for tests and checks.
RUN sed '/^# Tests and checks/,$d' requirements.txt > /tmp/runtime.txt && pip install --quiet -r /tmp/runtime.txt

COPY . .
ENV STATIC_ROOT=/srv/headjudge/static
RUN HEADJUDGE_VAR=/tmp/build python manage.py collectstatic --noinput --verbosity 0 && rm -rf /tmp/build \
 && python -m compileall -q .

ENV HEADJUDGE_VAR=/var/lib/headjudge
USER headjudge
EXPOSE 8000
CMD ["python", "-m", "granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--no-ws", "config.wsgi:application"]
