/** A list as the database wrote it in JSON, each item as it is answered: it goes out without being read. */
export class JsonListPage<Item> {
  declare protected readonly item: Item;
  readonly text: string;
  /** The key behind which the list goes on, as JSON; undefined at its end. */
  readonly next: string | undefined;

  /** From items in JSON. */
  constructor(items: readonly string[], next?: string) {
    this.text = `[${items.join(",")}]`;
    this.next = next;
  }
}
