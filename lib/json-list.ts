/** A list as the database wrote it in JSON, each item as it is answered: it goes out without being read. */
export class JsonList<Item> {
  declare protected readonly item: Item;
  readonly text: string;

  /** From items in JSON. */
  constructor(items: readonly string[]) {
    this.text = `[${items.join(",")}]`;
  }
}
