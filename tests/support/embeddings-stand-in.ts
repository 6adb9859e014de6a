import type { ServerResponse } from "node:http";
import { startStandInServer } from "../../scripts/dev/stand-in-server.ts";

type Body = {
  inputText?: string;
  texts?: string[];
  input_type?: string;
  dimensions?: number;
  output_dimension?: number;
};

export type EmbeddingsStandIn = {
  url: string;
  /** Request bodies, oldest first, with the model from the path. */
  requests: (Body & { model: string })[];
  texts(): string[];
  /** Fails the next requests until reset: with a status, or without a response. */
  fails: { status: number; type: string } | "silence" | undefined;
  close(): Promise<void>;
};

/** A text that it rejects. */
export const unreadable = "unreadable";

/** Groups of synonyms. Other words have no meaning. */
const concepts = [
  ["pendulum", "swing", "swings"],
  ["heat", "warm", "warmth"],
  ["current", "electricity"],
];

/** The stand-in's embedding of a text: a unit vector of 256 numbers. */
export function meaningIn(text: string): number[] {
  const words = new Set(text.toLowerCase().split(/[^a-z]+/));
  const found = concepts.map((concept) => (concept.some((word) => words.has(word)) ? 1 : 0));
  const vector = [...found, 0.1, ...Array<number>(255 - found.length).fill(0)];
  const length = Math.hypot(...vector);
  return vector.map((one) => one / length);
}

/** A Bedrock with both embedding models and predictable embeddings. */
export async function startEmbeddingsStandIn(): Promise<EmbeddingsStandIn> {
  const requests: EmbeddingsStandIn["requests"] = [];
  const silent = new Set<ServerResponse>();
  let fails: EmbeddingsStandIn["fails"];
  const server = await startStandInServer(async (request, body, response) => {
    const model = decodeURIComponent(/^\/model\/([^/]+)\/invoke$/.exec(request.url ?? "")?.[1] ?? "");
    const asked = body as Body;
    requests.push({ model, ...asked });
    const texts = asked.texts ?? [asked.inputText ?? ""];
    const refuse = (status: number, type: string) =>
      void response
        .writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type })
        .end(JSON.stringify({ message: "refused by the test" }));
    if (standIn.fails === "silence") return void silent.add(response);
    if (standIn.fails) return refuse(standIn.fails.status, standIn.fails.type);
    if (texts.some((text) => text.includes(unreadable))) return refuse(400, "ValidationException");
    const vectors = texts.map(meaningIn);
    const answer = asked.texts ? { embeddings: { float: vectors } } : { embedding: vectors[0] };
    response
      .writeHead(200, {
        "content-type": "application/json",
        "x-amzn-bedrock-input-token-count": String(5 * texts.length),
      })
      .end(JSON.stringify(answer));
  });
  const standIn: EmbeddingsStandIn = {
    url: server.url,
    requests,
    texts: () => requests.flatMap(({ texts, inputText }) => texts ?? inputText ?? []),
    get fails() {
      return fails;
    },
    set fails(next) {
      fails = next;
      if (next !== "silence") for (const response of silent) response.destroy();
    },
    close: server.close,
  };
  return standIn;
}

/**
 * A type `vector` with pgvector's `<=>`, for databases without the extension. tests/db/tutor/retrieval uses
 * pgvector.
 */
export const vectorStandIn = `
  create domain vector as real[];
  create function cosine_distance(one real[], other real[]) returns float8 language sql immutable as $$
    select 1 - sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0) from unnest(one, other) as pair (a, b)
  $$;
  create operator <=> (leftarg = real[], rightarg = real[], function = cosine_distance);
`;
