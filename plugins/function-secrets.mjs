/** Refers each function to the secret of its group, which a deployment writes from the stage's secret. */
export default class FunctionSecretsPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.naming = serverless.getProvider("aws").naming;
    this.hooks = { "before:package:finalize": () => this.refer() };
  }

  async refer() {
    const { secretGroupOf } = await import("../scripts/ops/deployment/secret-groups.ts");
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    for (const name of this.service.getAllFunctions()) {
      const { Variables } = Resources[this.naming.getLambdaLogicalId(name)].Properties.Environment;
      Variables.SECRET_SETTINGS = Variables.SECRET_SETTINGS.replace(reference, `$1/${secretGroupOf(name)}}}`);
    }
  }
}

const reference = /^(\{\{resolve:secretsmanager:[^}]+)\}\}$/;
