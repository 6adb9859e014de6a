/**
 * Removes the explicit dependency of functions on their role. The reference implies it, and cfn-lint warns
 * about both.
 */
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
