# The whole service as `npm start` serves it. Settings come by the environment: see .env.example.
#   docker build --tag learning-platform .
#   docker run --env-file settings.env learning-platform npm run migrate
#   docker run --env-file settings.env --publish 3000:3000 --read-only learning-platform

FROM node:24-slim AS packages
WORKDIR /service
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY app/package.json app/
COPY proof/package.json proof/
# What is optional is Node itself, for machines with an older one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The web application, of which only what is built goes into the image.
FROM node:24-slim AS app
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

FROM node:24-slim
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
  scripts/grant-role.ts scripts/prune-cache.ts scripts/renew-secrets.ts scripts/backup.ts scripts/restore.ts scripts/
COPY scripts/ops scripts/ops
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
