FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# The service's own account: it may write to its folder and to nothing else.
RUN useradd --system --uid 10001 --home-dir /var/lib/headjudge headjudge \
 && install -d -o headjudge -g headjudge /var/lib/headjudge

WORKDIR /srv/headjudge
# What it needs first, so that a change of ours does not install it all again: the upper part of requirements.txt.
COPY requirements.txt .
RUN sed '/^# Tests and checks/,$d' requirements.txt > /tmp/runtime.txt && pip install --quiet -r /tmp/runtime.txt

# Then the wheel, as anybody installs it.
COPY . /tmp/source
RUN pip install --quiet --no-deps /tmp/source && rm -rf /tmp/source
ENV STATIC_ROOT=/srv/headjudge/static
RUN HEADJUDGE_VAR=/tmp/build headjudge collectstatic --noinput --verbosity 0 && rm -rf /tmp/build

ENV HEADJUDGE_VAR=/var/lib/headjudge
USER headjudge
EXPOSE 8000
CMD ["headjudge", "serve", "--host", "0.0.0.0", "--port", "8000"]
