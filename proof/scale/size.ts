/** How much is loaded. Everyone is enrolled in `coursesEach` courses and has progress in a module and an item of each. */
export type Size = {
  universities: number;
  people: number;
  courses: number;
  subjects: number;
  coursesEach: number;
  /** The first course has that many modules; every other has one. */
  modulesInFirst: number;
};

/** 1 000 000 enrollments, 100 000 courses, 10 000 modules in one of them, 2 000 000 rows of progress. */
export const largeSize: Size = {
  universities: 50,
  people: 100_000,
  courses: 100_000,
  subjects: 500,
  coursesEach: 10,
  modulesInFirst: 10_000,
};

/** What the same reads are compared with: as little as fills the first page of most lists there, too. */
export const smallSize: Size = {
  universities: 2,
  people: 1_200,
  courses: 1_200,
  subjects: 100,
  coursesEach: 10,
  modulesInFirst: 300,
};
