type PointsData = { grading?: { max_points?: unknown }; max_points?: unknown };

/** The points of a lab or an assignment. As in the service, one without points has 100. */
export function maxPointsOfLabOrAssignment(data: object): number {
  const { grading, max_points } = data as PointsData;
  const given = grading?.max_points ?? max_points;
  return typeof given === "number" ? given : 100;
}
