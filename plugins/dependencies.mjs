/** Leaves out that a function depends on its role: it names it, and CloudFormation's linter warns of what is said twice. */
export default class DependenciesPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.hooks = { "before:package:finalize": () => this.dropImplied() };
  }

  dropImplied() {
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    for (const { Type, Properties, DependsOn } of Object.values(Resources)) {
      if (Type !== "AWS::Lambda::Function" || !DependsOn) continue;
      const role = Properties.Role["Fn::GetAtt"]?.[0];
      DependsOn.splice(0, DependsOn.length, ...DependsOn.filter((id) => id !== role));
    }
  }
}
