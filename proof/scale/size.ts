/**
 * Amount of data. Everyone is enrolled in `coursesEach` courses, with progress in a module and an item of
 * each.
 */
export type ScaleSize = {
  universities: number;
  people: number;
  courses: number;
  subjects: number;
  coursesEach: number;
  /** Modules of the first course; all others have one. */
  modulesInFirst: number;
};

/** 1 000 000 enrollments, 100 000 courses, 10 000 modules in one of them, 2 000 000 rows of progress. */
export const largeScaleSize: ScaleSize = {
  universities: 50,
  people: 100_000,
  courses: 100_000,
  subjects: 500,
  coursesEach: 10,
  modulesInFirst: 10_000,
};

/** The comparison: enough to fill the first page of most lists. */
export const smallScaleSize: ScaleSize = {
  universities: 2,
  people: 1_200,
  courses: 1_200,
  subjects: 100,
  coursesEach: 10,
  modulesInFirst: 300,
};
