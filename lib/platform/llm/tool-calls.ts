import type { LlmToolCallEvent } from "./provider.ts";

export type ToolCallPart = {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
} | null;

type Open = { index: unknown; id: unknown; name: string; input: string };

/** In the order of their first parts; indexes may start anywhere. */
export class ToolCallCollector {
  readonly #calls: Open[] = [];

  add(part: ToolCallPart): void {
    if (!part) return;
    const { name, arguments: input } = part.function ?? {};
    const call = this.#callOf(part);
    // Some servers send the name in pieces, others with each part.
    if (typeof name === "string" && call.input === "" && !call.name.startsWith(name)) call.name += name;
    // Some servers send the input as an object.
    call.input += typeof input === "string" ? input : input == null ? "" : JSON.stringify(input);
  }

  get all(): LlmToolCallEvent[] {
    return this.#calls.map(({ name, input }) => ({ type: "call", name, input }));
  }

  /** A part without index and id continues the last call; a new id begins another. */
  #callOf(part: NonNullable<ToolCallPart>): Open {
    const { index, id } = { index: part.index ?? undefined, id: part.id || undefined };
    const found = this.#calls.findLast((call) => index === undefined || call.index === index);
    if (found && (id === undefined || found.id === undefined || found.id === id)) {
      found.id ??= id;
      return found;
    }
    const call = { index, id, name: "", input: "" };
    this.#calls.push(call);
    return call;
  }
}
