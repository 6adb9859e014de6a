const fiveMinutes = 300;

/** The share of a limit at which alarms fire. */
const nearLimit = 0.8;

/** CloudWatch's limit of metrics per alarm. */
const maxMetricsPerAlarm = 10;

/**
 * Adds a stage's alarms if `alarms` is true. They notify `alarmTopic`, if given. Each alarm on functions
 * combines ten of them, since alarms are billed by metric.
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
    // API Gateway's timeout: beyond it, callers receive a 504.
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
    this.addSilence();
    this.add("ScheduleFailures", "Scheduled work failed; what was asked for waits in the queue", {
      Namespace: "AWS/SQS",
      MetricName: "ApproximateNumberOfMessagesVisible",
      Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": ["FailedSchedules", "QueueName"] } }],
      Statistic: "Maximum",
      Period: fiveMinutes,
      Threshold: 1,
    });
  }

  /** Fires before requests are rejected: at 80 % of the gateway's throttle and the account's concurrency. */
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

  /** Fires if a function of the schedule was not called for an hour, as its rule calls it each minute or half hour. */
  addSilence() {
    const isFrequent = ({ events }) =>
      events.some(({ schedule }) =>
        /^rate\(1 minute\)$|^cron\(0\/30 /.test(schedule?.rate ?? schedule ?? ""),
      );
    const scheduled = Object.entries(this.service.functions).filter(([, one]) => isFrequent(one));
    const metrics = scheduled.map(([name], at) =>
      this.metricOf(name, "Invocations", { at, statistic: "Sum", period: 3600 }),
    );
    this.add("ScheduleStopped", "A function of the schedule was not called for an hour", {
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
      Metrics: [
        {
          Id: "all",
          Expression: `MIN([${metrics.map(({ Id }) => `FILL(${Id}, 0)`).join(", ")}])`,
          Label: "Invocations",
        },
        ...metrics,
      ],
    });
  }

  metricOf = (name, metric, { at, statistic, period }) => ({
    Id: `m${at}`,
    ReturnData: false,
    MetricStat: {
      Stat: statistic,
      Period: period,
      Metric: {
        Namespace: "AWS/Lambda",
        MetricName: metric,
        Dimensions: [{ Name: "FunctionName", Value: { Ref: this.naming.getLambdaLogicalId(name) } }],
      },
    },
  });

  timeoutOf = (name) => this.service.functions[name].timeout ?? this.service.provider.timeout;

  /** One alarm for every ten functions, on the sum or the maximum. */
  addForFunctions(metric, functions, { statistic, threshold, says }) {
    for (let first = 0; first < functions.length; first += maxMetricsPerAlarm) {
      const some = functions.slice(first, first + maxMetricsPerAlarm);
      const combine = statistic === "Sum" ? "SUM" : "MAX";
      this.add(`Function${metric}${first / maxMetricsPerAlarm + 1}`, `${says}: ${some.join(", ")}`, {
        Threshold: threshold,
        Metrics: [
          { Id: "all", Expression: `${combine}(METRICS())`, Label: metric },
          ...some.map((name, at) => this.metricOf(name, metric, { at, statistic, period: fiveMinutes })),
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
        AlarmDescription: `${description}. docs/reference/alerts.md says what to look at`,
        ComparisonOperator: "GreaterThanOrEqualToThreshold",
        EvaluationPeriods: 1,
        TreatMissingData: "notBreaching",
        ...(topic && { AlarmActions: [topic], OKActions: [topic] }),
        ...properties,
      },
    };
  }
}
