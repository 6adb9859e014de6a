const fiveMinutes = 300;

/** The share of a limit at which an alarm tells. */
const nearLimit = 0.8;

/** As many metrics one alarm may reckon with. */
const mostMetrics = 10;

/**
 * Adds the alarms of a stage, where `alarms` is true: they tell `alarmTopic`, if there is one. An alarm on a function
 * reckons with ten functions at a time, since each costs by its metrics and not by its number.
 */
export default class AlarmsPlugin {
  constructor(serverless) {
    this.service = serverless.service;
    this.naming = serverless.getProvider("aws").naming;
    this.stage = serverless.getProvider("aws").getStage();
    this.hooks = { "before:package:finalize": () => this.isWanted() && this.addAlarms() };
  }

  isWanted = () => String(this.service.custom.alarms.wanted) === "true";

  addAlarms() {
    const functions = Object.keys(this.service.functions);
    const requests = functions.filter((name) => this.timeoutOf(name) <= 29);
    this.addForFunctions("Errors", functions, { statistic: "Sum", threshold: 5, says: "Functions fail" });
    this.addForFunctions("Throttles", functions, {
      statistic: "Sum",
      threshold: 5,
      says: "Functions are too many",
    });
    // As long as API Gateway waits: whoever asked was told 504 a moment later.
    this.addForFunctions("Duration", requests, {
      statistic: "Maximum",
      threshold: 25_000,
      says: "Answers take long",
    });
    this.add("GatewayFailures", "API Gateway answers with 5xx", {
      Namespace: "AWS/ApiGateway",
      MetricName: "5XXError",
      Dimensions: [
        { Name: "ApiName", Value: this.naming.getApiGatewayName() },
        { Name: "Stage", Value: this.stage },
      ],
      Statistic: "Sum",
      Period: fiveMinutes,
      Threshold: 10,
    });
    this.addLimits();
    this.add("ScheduleFailures", "Scheduled work failed; what was asked for waits in the queue", {
      Namespace: "AWS/SQS",
      MetricName: "ApproximateNumberOfMessagesVisible",
      Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": ["FailedSchedules", "QueueName"] } }],
      Statistic: "Maximum",
      Period: fiveMinutes,
      Threshold: 1,
    });
  }

  /** Before anyone is refused: four fifths of what the gateway lets through, and of the functions at once of an account. */
  addLimits() {
    const { throttle, alarms } = this.service.custom;
    this.add("RequestsNearThrottle", "Requests come near throttleRate", {
      Namespace: "AWS/ApiGateway",
      MetricName: "Count",
      Dimensions: [
        { Name: "ApiName", Value: this.naming.getApiGatewayName() },
        { Name: "Stage", Value: this.stage },
      ],
      Statistic: "Sum",
      Period: 60,
      Threshold: Math.round(nearLimit * Number(throttle.ThrottlingRateLimit) * 60),
    });
    this.add("FunctionsNearLimit", "Functions at once come near the account's limit", {
      Namespace: "AWS/Lambda",
      MetricName: "ConcurrentExecutions",
      Statistic: "Maximum",
      Period: 60,
      Threshold: Math.round(nearLimit * Number(alarms.functionsAtOnce)),
    });
  }

  timeoutOf = (name) => this.service.functions[name].timeout ?? this.service.provider.timeout;

  /** One alarm for each ten functions: on the sum of their values, or on the largest. */
  addForFunctions(metric, functions, { statistic, threshold, says }) {
    for (let first = 0; first < functions.length; first += mostMetrics) {
      const some = functions.slice(first, first + mostMetrics);
      const combine = statistic === "Sum" ? "SUM" : "MAX";
      this.add(`Function${metric}${first / mostMetrics + 1}`, `${says}: ${some.join(", ")}`, {
        Threshold: threshold,
        Metrics: [
          { Id: "all", Expression: `${combine}(METRICS())`, Label: metric },
          ...some.map((name, at) => ({
            Id: `m${at}`,
            ReturnData: false,
            MetricStat: {
              Stat: statistic,
              Period: fiveMinutes,
              Metric: {
                Namespace: "AWS/Lambda",
                MetricName: metric,
                Dimensions: [{ Name: "FunctionName", Value: { Ref: this.naming.getLambdaLogicalId(name) } }],
              },
            },
          })),
        ],
      });
    }
  }

  add(name, description, properties) {
    const { topic } = this.service.custom.alarms;
    const { Resources } = this.service.provider.compiledCloudFormationTemplate;
    Resources[`Alarm${name}`] = {
      Type: "AWS::CloudWatch::Alarm",
      Properties: {
        AlarmDescription: `${description}. docs/operations.md says what to look at`,
        ComparisonOperator: "GreaterThanOrEqualToThreshold",
        EvaluationPeriods: 1,
        TreatMissingData: "notBreaching",
        ...(topic && { AlarmActions: [topic], OKActions: [topic] }),
        ...properties,
      },
    };
  }
}
