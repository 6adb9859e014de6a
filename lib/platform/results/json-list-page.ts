/** JSON from the database, sent without parsing. */
export class JsonListPage<Item> {
  declare protected readonly item: Item;
  readonly text: string;
  /** The next page's key as JSON; undefined at the end. */
  readonly next: string | undefined;

  constructor(text: string, next?: string) {
    this.text = text;
    this.next = next;
  }
}
