import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The projects whose files take the longest each. */
const long = ["repo", "process", "browser"];

/**
 * Begins with the projects whose files take long, so that at the end no worker is left with such a file while the others
 * have none. The files of a project stay together: where they share their modules, those are loaded once a worker.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const of = (name: string) => sorted.filter(({ project }) => project.name === name);
    return [...long.flatMap(of), ...sorted.filter(({ project }) => !long.includes(project.name))];
  }
}
