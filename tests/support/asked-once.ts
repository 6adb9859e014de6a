import type { Operation } from "./operations.ts";

/** Asks each operation once as each person, for all tests that look at the answer. A dry run answers it alike each time. */
export function askedOnce<Person extends { id: number } | undefined, Answer>(
  ask: (operation: Operation, person: Person) => Promise<Answer>,
) {
  const asked = new Map<string, Promise<Answer>>();
  return (operation: Operation, person: Person): Promise<Answer> => {
    const key = `${operation.name} ${person?.id}`;
    const answer = asked.get(key) ?? ask(operation, person);
    asked.set(key, answer);
    return answer;
  };
}
