import { moveInWords } from "../tutor/moves.ts";

/** Where in a topic's tree something stands: what was chosen on the way there, without the greeting. */
export const pathLabel = (path: readonly string[]): string =>
  path.slice(1).map(chosenIn).map(moveInWords).join(" → ");

/** What a message chose, as it was sent; words of one's own as they are. */
export function chosenIn(message: string): string {
  try {
    const { answer } = Object(JSON.parse(message));
    return String(answer ?? message);
  } catch {
    return message;
  }
}
