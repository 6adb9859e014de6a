/**
 * Makes the API's stage a resource of its own: the framework has CloudFormation make it on the way of a deployment,
 * where it can have no settings. Requests over the throttle's limits are answered with 429 by API Gateway itself.
 */
export default class ApiStagePlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.provider = serverless.getProvider("aws");
    this.hooks = { "before:package:finalize": () => this.addStage() };
  }

  addStage() {
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    const [id, deployment] = Object.entries(Resources).find(
      ([, { Type }]) => Type === "AWS::ApiGateway::Deployment",
    );
    const { StageName, ...properties } = deployment.Properties;
    deployment.Properties = properties;
    // What is made after the deployment would not be part of it.
    deployment.DependsOn.push(...this.gatewayResponses());
    Resources[this.provider.naming.getStageLogicalId()] = {
      Type: "AWS::ApiGateway::Stage",
      Properties: {
        RestApiId: properties.RestApiId,
        DeploymentId: { Ref: id },
        StageName,
        MethodSettings: [{ ResourcePath: "/*", HttpMethod: "*", ...this.service.custom.throttle }],
      },
    };
  }

  gatewayResponses() {
    const own = Object.entries(this.service.resources.Resources);
    return own.filter(([, { Type }]) => Type === "AWS::ApiGateway::GatewayResponse").map(([id]) => id);
  }
}
