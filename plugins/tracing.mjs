/** Enables AWS X-Ray for the gateway and the functions if `tracing` is true. */
export default class TracingPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.naming = serverless.getProvider("aws").naming;
    this.hooks = { "before:package:finalize": () => this.isWanted() && this.trace() };
  }

  isWanted = () => String(this.service.custom.tracing) === "true";

  trace() {
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    Resources[this.naming.getStageLogicalId()].Properties.TracingEnabled = true;
    for (const { Type, Properties } of Object.values(Resources)) {
      if (Type === "AWS::Lambda::Function") Properties.TracingConfig = { Mode: "Active" };
      if (Type === "AWS::IAM::Role" && isOfFunctions(Properties)) Properties.Policies.push(mayTrace);
    }
  }
}

const isOfFunctions = ({ AssumeRolePolicyDocument }) =>
  JSON.stringify(AssumeRolePolicyDocument).includes("lambda.amazonaws.com");

/** These two actions do not support resource-level permissions. */
const mayTrace = {
  PolicyName: "tracing",
  PolicyDocument: {
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], Resource: "*" },
    ],
  },
};
