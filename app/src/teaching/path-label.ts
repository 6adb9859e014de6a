import { moveInWords } from "../tutor/moves.ts";

/** The choices on the path to a node, without the start message. */
export const pathLabel = (path: readonly string[]): string =>
  path.slice(1).map(chosenIn).map(moveInWords).join(" → ");

/** The option that a message chose. Free text is returned unchanged. */
export function chosenIn(message: string): string {
  try {
    const { answer } = Object(JSON.parse(message));
    return String(answer ?? message);
  } catch {
    return message;
  }
}
