import type { ClassroomLoadTest } from "./baseline/environment.ts";
import { loadTestServersAlternately, type RoundSchedule, type ServerMeasurement } from "./baseline/rounds.ts";

const features = {
  "access log": { ENABLE_ACCESS_LOG: "false" },
  metrics: { ENABLE_METRICS: "false" },
  tracing: { OBS_HOST: "" },
};

type Feature = keyof typeof features;

/** An operation's results with all features, and without each one. */
export type MeasurementsWithoutEachFeature = {
  name: string;
  whole: ServerMeasurement;
  without: Record<Feature, ServerMeasurement>;
};

const measuredOn = ["users/me", "modules of a course (200)", "stored answer, 40 chunks"];

/** Costs of side features, measured by turning off each one, with 16 concurrent clients. */
export async function measureOperationsWithoutEachFeature(
  stage: ClassroomLoadTest,
  pace: RoundSchedule,
): Promise<MeasurementsWithoutEachFeature[]> {
  const servers = {
    whole: await stage.startOurs(),
    "access log": await stage.startOurs(features["access log"]),
    metrics: await stage.startOurs(features.metrics),
    tracing: await stage.startOurs(features.tracing),
  };
  const found: MeasurementsWithoutEachFeature[] = [];
  for (const operation of stage.operations.filter(({ name }) => measuredOn.includes(name))) {
    const sending = { sent: stage.sentBy(operation), postmaster: stage.postmaster };
    const { whole, ...without } = await loadTestServersAlternately(servers, pace, 16, sending);
    found.push({ name: operation.name, whole, without });
  }
  return found;
}
