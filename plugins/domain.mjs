/**
 * Adds a custom domain if `domainName` and `certificateArn` are given; with `basePath` below that path, and
 * with `hostedZoneId` including its Route 53 record.
 */
export default class DomainPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.provider = serverless.getProvider("aws");
    this.hooks = {
      "before:package:initialize": () => this.tellPublicUrl(),
      "before:package:finalize": () => this.addDomain(),
    };
  }

  /** The default PUBLIC_URL is the custom domain. */
  tellPublicUrl() {
    const { domainName, certificateArn, basePath } = this.service.custom.domain;
    if (!domainName) return;
    if (!certificateArn)
      throw new Error("The parameter domainName needs certificateArn, of a certificate in the region");
    this.service.provider.environment.PUBLIC_URL ||= `https://${[domainName, basePath].filter(Boolean).join("/")}`;
  }

  addDomain() {
    const { domainName, certificateArn, basePath, hostedZoneId } = this.service.custom.domain;
    if (!domainName) return;
    const { Resources, Outputs } = this.service.provider.compiledCloudFormationTemplate;
    const RestApiId = { Ref: this.provider.naming.getRestApiLogicalId() };
    Resources.Domain = {
      Type: "AWS::ApiGateway::DomainName",
      Properties: {
        DomainName: domainName,
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ["REGIONAL"] },
        SecurityPolicy: "TLS_1_2",
      },
    };
    Resources.DomainMapping = {
      Type: "AWS::ApiGateway::BasePathMapping",
      Properties: {
        DomainName: { Ref: "Domain" },
        RestApiId,
        Stage: { Ref: this.provider.naming.getStageLogicalId() },
        ...(basePath && { BasePath: basePath }),
      },
    };
    const target = { "Fn::GetAtt": ["Domain", "RegionalDomainName"] };
    Outputs.DomainTarget = { Description: "Where the name of the domain has to point to", Value: target };
    if (hostedZoneId)
      Resources.DomainRecord = {
        Type: "AWS::Route53::RecordSet",
        Properties: {
          HostedZoneId: hostedZoneId,
          Name: domainName,
          Type: "A",
          AliasTarget: {
            DNSName: target,
            HostedZoneId: { "Fn::GetAtt": ["Domain", "RegionalHostedZoneId"] },
          },
        },
      };
  }
}
