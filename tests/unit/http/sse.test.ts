import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EventStream } from "../../../lib/http/sse.ts";

function notebook() {
  const written: string[] = [];
  return {
    written,
    write: (text: string) => written.push(text),
    end: (text: string) => written.push(`${text}|`),
  };
}

describe("a stream of events", () => {
  it("buffers events until the target is known", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.send("one ");
    await turn();
    stream.sendTo(sink);
    expect(sink.written).toEqual(["one "]);
  });

  it("writes events of one tick together, and the end with the last of them", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.sendTo(sink);
    stream.send("one ");
    stream.send("two ");
    await turn();
    stream.send("three");
    stream.end();
    await turn();
    expect(sink.written).toEqual(["one two ", "three|"]);
  });

  it("leaves as a whole when it has ended before", async () => {
    const stream = new EventStream();
    stream.send("all");
    stream.end();
    expect(await stream.toResponse().text()).toBe("all");
  });

  it("drops events after its reader has gone", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.sendTo(sink);
    stream.leave();
    stream.send("unheard");
    await turn();
    stream.end();
    expect(sink.written).toEqual([]);
  });

  it("continues without its reader as a web stream", async () => {
    const stream = new EventStream();
    await stream.toResponse().body?.cancel();
    stream.send("unheard");
    expect(() => stream.end()).not.toThrow();
  });
});
