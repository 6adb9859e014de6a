/**
 * Makes `serverless deploy` safe: checks first, migrates the database between upload and new code, then tests
 * the service. A failure stops all later steps and keeps the old code, which works with the newer database.
 */
export default class DeploymentPlugin {
  constructor(serverless, _options, { log }) {
    this.serverless = serverless;
    this.log = log;
    this.provider = serverless.getProvider("aws");
    this.hooks = {
      "before:package:initialize": () => this.isDeployment() && this.noteSecretVersion(),
      "before:deploy:deploy": () => this.check(),
      "before:rollback:rollback": () => this.distributeSecrets(),
      "before:deploy:function:initialize": () => this.refuseSingleFunction(),
      "after:aws:deploy:deploy:validateTemplate": () => this.migrate(),
      "after:deploy:finalize": () => this.smoke(),
    };
  }

  isDeployment = () => this.serverless.processedInput.commands.join(" ") === "deploy";

  readSecret = async (name) => {
    const { readSecretSettings } = await project("scripts/ops/deployment/secret-settings.ts");
    return readSecretSettings(name, await this.provider.getAwsSdkV3Config());
  };

  /** CloudFormation reads the secret again only if another property changes. */
  async noteSecretVersion() {
    const { Refused, secretOf } = await project("scripts/ops/deployment/preflight.ts");
    const { version } = await this.readSecret(secretOf(this.provider.getStage())).catch((error) => {
      throw new Refused([error.message]);
    });
    this.environment().SECRET_VERSION = version;
  }

  async check() {
    const { preflight } = await project("scripts/ops/deployment/preflight.ts");
    const { inspectDatabase } = await project("lib/platform/db/migrations/inspect.ts");
    const target = { stage: this.provider.getStage(), environment: this.environment() };
    this.config = await preflight(target, {
      identity: async () => (await this.provider.getAccountInfo()).arn,
      readSecret: this.readSecret,
      inspect: (url) => inspectDatabase(url),
      report: (message) => this.log.notice(message),
    });
    await this.distributeSecrets();
  }

  /** Writes the secret of each group of functions, which CloudFormation then reads. */
  async distributeSecrets() {
    const { secretOf } = await project("scripts/ops/deployment/preflight.ts");
    const { settingsByGroup } = await project("scripts/ops/deployment/secret-groups.ts");
    const { writeSecretSettings } = await project("scripts/ops/deployment/secret-settings.ts");
    const name = secretOf(this.provider.getStage());
    const { text } = await this.readSecret(name);
    const config = await this.provider.getAwsSdkV3Config();
    for (const [group, settings] of Object.entries(settingsByGroup(text)))
      await writeSecretSettings(`${name}/${group}`, settings, config);
  }

  /** The functions' environment. The framework has loaded the package by now, which may be older. */
  environment = () => this.serverless.service.provider.environment;

  refuseSingleFunction() {
    throw new Error("Deploy all functions at once: one alone would be of another version than its database");
  }

  async migrate() {
    const { migrate } = await project("lib/platform/db/migrations/migrate.ts");
    const { describeMigrated } = await project("lib/platform/db/migrations/describe-migrated.ts");
    const { sessionDatabaseUrl } = await project("lib/platform/db/driver/address.ts");
    const { DATABASE_LOCK_TIMEOUT_MS } = this.config;
    const url = sessionDatabaseUrl(this.config);
    const migrated = await migrate(url, { requestLockTimeoutMs: DATABASE_LOCK_TIMEOUT_MS });
    this.log.notice(describeMigrated(migrated));
  }

  async smoke() {
    const { optionsOfEnvironment, smoke } = await project("scripts/ops/smoke/checks.ts");
    const [origin] = this.config.BACKEND_CORS_ORIGINS.filter((one) => one !== "*");
    const given = optionsOfEnvironment();
    const options = { ...given, origin: given.origin ?? origin };
    const failed = await smoke(await this.address(), (line) => this.log.notice(line), options);
    if (failed > 0)
      throw new Error("The new code is deployed, but does not work correctly. See `serverless rollback`");
  }

  async address() {
    if (this.config.PUBLIC_URL) return this.config.PUBLIC_URL;
    const resources = await this.provider.getStackResources();
    const id = this.provider.naming.getRestApiLogicalId();
    const api = resources.find(({ LogicalResourceId }) => LogicalResourceId === id).PhysicalResourceId;
    return `https://${api}.execute-api.${this.provider.getRegion()}.amazonaws.com/${this.provider.getStage()}`;
  }
}

/** Imports the service's TypeScript, which Node 24 runs directly. `npx serverless` uses that Node. */
const project = (file) =>
  import(new URL(`../${file}`, import.meta.url)).catch((error) => {
    if (error.code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
    throw new Error(
      `Node ${process.version} is too old: deploy with "npm run deploy" or "npx serverless deploy"`,
    );
  });
