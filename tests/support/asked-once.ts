import type { Operation } from "./operations.ts";

/**
 * Requests each operation once per person and shares the reply among tests. Dry runs reply the same each
 * time.
 */
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
