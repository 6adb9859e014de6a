/** Some servers answer a request for events with the whole answer, or an error, as JSON. */
export async function* jsonAsEvent(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const held: Uint8Array[] = [];
  let isJson: boolean | undefined;
  for await (const piece of body) {
    if (isJson === undefined) isJson = isJsonBeginning(piece);
    if (isJson !== false) held.push(piece);
    else yield* [...held.splice(0), piece];
  }
  yield* isJson ? [eventOf(Buffer.concat(held))] : held;
}

/** Undefined for blanks and a byte order mark. */
function isJsonBeginning(piece: Uint8Array): boolean | undefined {
  const [first] = /[^\s\u00ef\u00bb\u00bf]/.exec(Buffer.from(piece).toString("latin1")) ?? [];
  return first === undefined ? undefined : "{[".includes(first);
}

function eventOf(bytes: Uint8Array): Uint8Array {
  const value = parsed(new TextDecoder().decode(bytes));
  if (value === undefined) return bytes;
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  const name = Object(only).error ? "error" : "completion";
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(only)}\n\n`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
