# The whole service as `npm start` serves it. Settings come by the environment: see .env.example.
#   docker build --tag learning-platform .
#   docker run --env-file settings.env learning-platform npm run migrate
#   docker run --env-file settings.env --publish 3000:3000 --read-only learning-platform
#   docker run --env-file settings.env --volume ./backups:/backups learning-platform npm run backup -- --to /backups/today.dump

# The version of pg_dump and pg_restore, which may not be older than the server.
ARG POSTGRES_VERSION=17
FROM postgres:${POSTGRES_VERSION}-bookworm AS postgres
RUN mkdir /programs /libraries \
  && cp /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore /programs/ \
  && cp /usr/lib/*/libpq.so.5 /libraries/

FROM node:24-bookworm-slim AS packages
WORKDIR /service
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY app/package.json app/
COPY proof/package.json proof/
# What is optional is Node itself, for machines with an older one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The web application, of which only what is built goes into the image.
FROM node:24-bookworm-slim AS app
WORKDIR /service
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY app/package.json app/
COPY proof/package.json proof/
RUN npm ci --workspace app --ignore-scripts --no-audit --no-fund
COPY client client
COPY app app
COPY scripts/command-line.ts scripts/
COPY scripts/build/licenses scripts/build/licenses
RUN node app/build.ts

FROM node:24-bookworm-slim
# The libraries of pg_dump and pg_restore; their own version of libpq follows.
RUN apt-get update && apt-get install --yes --no-install-recommends libpq5 liblz4-1 libzstd1 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=postgres /programs /usr/local/bin
COPY --from=postgres /libraries /usr/local/lib
RUN ldconfig
WORKDIR /service
COPY --from=packages /service/node_modules node_modules
COPY package.json LICENSE ./
COPY docs docs
COPY --from=app /service/app/built app/built
COPY functions functions
COPY lib lib
COPY schema schema
COPY server server
# Of the commands only those of someone who runs it.
COPY scripts/command-line.ts scripts/compile.ts scripts/start.ts scripts/migrate.ts scripts/doctor.ts \
  scripts/grant-role.ts scripts/prune-cache.ts scripts/renew-secrets.ts scripts/backup.ts scripts/restore.ts \
  scripts/university.ts scripts/smoke.ts scripts/
COPY scripts/ops scripts/ops
COPY scripts/university scripts/university
# A container's log is what it prints, and its files are read-only.
ENV NODE_ENV=production LOG_FILE_ENABLED=false
# What runs is compiled here, once, by the user whose processes are to find it.
RUN mkdir --mode=777 node_modules/.cache
# For FILE_STORE=folder:/service/files, with a volume there: a new one takes its rights from here.
RUN mkdir --mode=777 files
USER node
RUN node --import ./server/quick-start.mjs scripts/compile.ts
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD node -e "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
# Longer than answers may take to come to their end: SHUTDOWN_DELAY_SECONDS and SHUTDOWN_TIMEOUT_SECONDS.
STOPSIGNAL SIGTERM
CMD ["node", "--import", "./server/quick-start.mjs", "scripts/start.ts"]
