import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The projects with the slowest files. */
const long = ["repo", "process", "browser"];

/**
 * Runs the slow projects first, to keep all workers busy at the end. Files of a project stay together: shared
 * modules load once per worker.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const of = (name: string) => sorted.filter(({ project }) => project.name === name);
    return [...long.flatMap(of), ...sorted.filter(({ project }) => !long.includes(project.name))];
  }
}
