/**
 * Defines the API's stage as a separate resource. The framework lets CloudFormation create it with the
 * deployment, which allows no settings. API Gateway answers 429 above the throttle's limits.
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
    // Resources created after the deployment would not be part of it.
    deployment.DependsOn.push(...this.gatewayResponses());
    Resources[this.provider.naming.getStageLogicalId()] = {
      Type: "AWS::ApiGateway::Stage",
      Properties: {
        RestApiId: properties.RestApiId,
        DeploymentId: { Ref: id },
        StageName,
        MethodSettings: [{ ResourcePath: "/*", HttpMethod: "*", ...this.service.custom.throttle }],
        ...(this.isLogged() && this.addLog(Resources)),
      },
      ...(this.isLogged() && { DependsOn: "GatewayMayLog" }),
    };
  }

  isLogged = () => String(this.service.custom.gatewayLog) === "true";

  /** API Gateway logs with a role of the account and region. The role outlives the stack, since others use it too. */
  addLog(Resources) {
    Resources.GatewayLog = {
      Type: "AWS::Logs::LogGroup",
      Properties: {
        LogGroupName: `/aws/api-gateway/${this.provider.naming.getApiGatewayName()}`,
        RetentionInDays: this.service.provider.logRetentionInDays,
      },
    };
    Resources.GatewayLogRole = {
      Type: "AWS::IAM::Role",
      ...stays,
      Properties: {
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            { Effect: "Allow", Principal: { Service: "apigateway.amazonaws.com" }, Action: "sts:AssumeRole" },
          ],
        },
        ManagedPolicyArns: [
          { "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, `:iam::aws:policy/${policy}`]] },
        ],
      },
    };
    Resources.GatewayMayLog = {
      Type: "AWS::ApiGateway::Account",
      ...stays,
      Properties: { CloudWatchRoleArn: { "Fn::GetAtt": ["GatewayLogRole", "Arn"] } },
    };
    const DestinationArn = { "Fn::GetAtt": ["GatewayLog", "Arn"] };
    return { AccessLogSetting: { DestinationArn, Format: JSON.stringify(logged) } };
  }

  gatewayResponses() {
    const own = Object.entries(this.service.resources.Resources);
    return own.filter(([, { Type }]) => Type === "AWS::ApiGateway::GatewayResponse").map(([id]) => id);
  }
}

const policy = "service-role/AmazonAPIGatewayPushToCloudWatchLogs";

const stays = { DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" };

/** Routes instead of paths, which may contain secrets. */
const logged = {
  time: "$context.requestTime",
  gateway_request_id: "$context.requestId",
  ip: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  route: "$context.resourcePath",
  status_code: "$context.status",
  error: "$context.error.responseType",
  duration_ms: "$context.responseLatency",
  function_ms: "$context.integration.latency",
  bytes: "$context.responseLength",
};
