/** Gives each function its own copy of its role, which may write to the function's own log group only. */
export default class FunctionRolesPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.naming = serverless.getProvider("aws").naming;
    this.hooks = { "before:package:finalize": () => this.separate() };
  }

  separate() {
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    // Those of serverless.yml are merged into the template later.
    const given = this.service.resources.Resources;
    const shared = new Set();
    for (const name of this.service.getAllFunctions()) {
      const { Properties, DependsOn = [] } = Resources[this.naming.getLambdaLogicalId(name)];
      const [former] = Properties.Role["Fn::GetAtt"];
      const own = `${this.naming.getNormalizedFunctionName(name)}FunctionRole`;
      shared.add(former);
      Resources[own] = roleFor(Resources[former] ?? given[former], this.naming.getLogGroupLogicalId(name));
      Properties.Role = { "Fn::GetAtt": [own, "Arn"] };
      DependsOn.splice(0, DependsOn.length, ...DependsOn.filter((id) => id !== former));
    }
    for (const former of shared) {
      delete Resources[former];
      delete given[former];
    }
  }
}

function roleFor(shared, logGroup) {
  const { RoleName: _, ...role } = structuredClone(shared.Properties);
  for (const { PolicyDocument } of role.Policies)
    PolicyDocument.Statement = PolicyDocument.Statement.filter((one) => !isAboutLogs(one));
  const [{ PolicyDocument }] = role.Policies;
  PolicyDocument.Statement.unshift({
    Effect: "Allow",
    Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
    Resource: { "Fn::GetAtt": [logGroup, "Arn"] },
  });
  return { ...shared, Properties: role };
}

const isAboutLogs = ({ Action }) => [Action].flat().every((action) => action.startsWith("logs:"));
