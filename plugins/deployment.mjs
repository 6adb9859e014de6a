/**
 * Makes the framework's own `serverless deploy` safe: it looks at everything before it touches anything, brings the
 * database up to date between the upload and the new code, and asks the service whether it answers afterwards.
 * What fails leaves everything after it undone, and the old code running: that works with the newer database too.
 */
export default class DeploymentPlugin {
  constructor(serverless, _options, { log }) {
    this.serverless = serverless;
    this.log = log;
    this.provider = serverless.getProvider("aws");
    this.hooks = {
      "before:package:initialize": () => this.isDeployment() && this.noteSecretVersion(),
      "before:deploy:deploy": () => this.check(),
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

  /** CloudFormation reads the secret again when something beside its reference has changed. */
  async noteSecretVersion() {
    const { Refused, secretOf } = await project("scripts/ops/deployment/preflight.ts");
    const { version } = await this.readSecret(secretOf(this.provider.getStage())).catch((error) => {
      throw new Refused([error.message]);
    });
    this.environment().SECRET_VERSION = version;
  }

  async check() {
    const { preflight } = await project("scripts/ops/deployment/preflight.ts");
    const { inspectDatabase } = await project("lib/db/migrations/inspect.ts");
    const target = { stage: this.provider.getStage(), environment: this.environment() };
    this.config = await preflight(target, {
      identity: async () => (await this.provider.getAccountInfo()).arn,
      readSecret: this.readSecret,
      inspect: (url) => inspectDatabase(url),
      report: (message) => this.log.notice(message),
    });
  }

  /** What the functions are to be given: the framework has read the package by now, which may have been made before. */
  environment = () => this.serverless.service.provider.environment;

  refuseSingleFunction() {
    throw new Error("Deploy all functions at once: one alone would be of another version than its database");
  }

  async migrate() {
    const { migrate } = await project("lib/db/migrations/migrate.ts");
    const { describeMigrated } = await project("lib/db/migrations/describe-migrated.ts");
    const { addressForSessions } = await project("lib/db/driver/address.ts");
    const { DATABASE_LOCK_TIMEOUT_MS } = this.config;
    const url = addressForSessions(this.config);
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
      throw new Error("The new code is in place and does not answer as it should: see `serverless rollback`");
  }

  async address() {
    if (this.config.PUBLIC_URL) return this.config.PUBLIC_URL;
    const resources = await this.provider.getStackResources();
    const id = this.provider.naming.getRestApiLogicalId();
    const api = resources.find(({ LogicalResourceId }) => LogicalResourceId === id).PhysicalResourceId;
    return `https://${api}.execute-api.${this.provider.getRegion()}.amazonaws.com/${this.provider.getStage()}`;
  }
}

/** The service's own code, which Node 24 reads as it stands: `npx serverless` finds that Node by itself. */
const project = (file) =>
  import(new URL(`../${file}`, import.meta.url)).catch((error) => {
    if (error.code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
    throw new Error(
      `Node ${process.version} is too old: deploy with "npm run deploy" or "npx serverless deploy"`,
    );
  });
