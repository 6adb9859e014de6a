type Labels = Readonly<Record<string, string>>;

export type MetricAddition = { sample: string; labels: Labels; amount: number };

/** Counts in memory, one map lookup each, until a batch is taken. */
export type MetricTally = {
  add(sample: string, labels: Labels, amount?: number): void;
  isEmpty(): boolean;
  take(): MetricAddition[];
};

export function createTally(): MetricTally {
  let additions = new Map<string, MetricAddition>();
  return {
    add(sample, labels, amount = 1) {
      let key = sample;
      for (const name in labels) key += ` ${labels[name]}`;
      const known = additions.get(key);
      if (known) known.amount += amount;
      else additions.set(key, { sample, labels, amount });
    },
    isEmpty: () => additions.size === 0,
    take() {
      const taken = [...additions.values()];
      additions = new Map();
      return taken;
    },
  };
}
