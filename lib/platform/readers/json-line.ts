/** The line at which a text stops being JSON. It must not be JSON as a whole. */
export function lineOfJsonError(text: string): number {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  ends.push(text.length);
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBeginningOfJson(text.slice(0, ends[middle]))) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

function isBeginningOfJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const [, at] = /at position (\d+)/.exec(String(error)) ?? [];
    return Number(at) === text.length || /Unexpected end|Unterminated string/.test(String(error));
  }
}
