import type { CustomTypesConfig, NeonQueryFunction, NeonQueryPromise } from "@neondatabase/serverless";
import type { Flight } from "./flight.ts";

/** As drizzle hands a statement to a pool. */
type Statement = { text: string; rowMode?: "array"; types: CustomTypesConfig };

/** A batch by HTTP, which is one transaction: where one of its statements fails, all of them do. */
export function neonFlight(http: NeonQueryFunction<false, true>): Flight {
  const batch: NeonQueryPromise<false, true>[] = [];
  const sent = Promise.withResolvers<unknown[]>();
  sent.promise.catch(() => {});
  return {
    async query({ text, rowMode, types }: Statement, values: unknown[]) {
      const options = { arrayMode: rowMode === "array", types };
      const seat = batch.push(http.query(text, values, options) as NeonQueryPromise<false, true>) - 1;
      return (await sent.promise)[seat];
    },
    depart() {
      if (batch.length > 0) http.transaction(batch.splice(0)).then(sent.resolve, sent.reject);
    },
    land() {},
  };
}
