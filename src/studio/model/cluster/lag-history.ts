import { jsonIn, objectIn } from '../../../live/amount.ts'

/** How far a node and its replicas are behind at one time. */
export interface LagSample {
  /** Unix milliseconds. */
  readonly at: number
  /** Records that this node is behind its source; `undefined`: it follows none. */
  readonly own: number | undefined
  /** Records that the slowest replica of this node has not been sent; `undefined`: it has none. */
  readonly replicas: number | undefined
  /** Sealed blocks that are not stored yet. */
  readonly unstored: number | undefined
}

/** Ten minutes at a sample every two seconds. */
const MAX_SAMPLES = 300

/** Reads the page `/ready` and the replicas of the metrics. */
export function lagSample(at: number, ready: string, replicas: readonly { readonly lagRecords: number }[]): LagSample {
  const { replica, worker, writerLagBlocks } = objectIn(jsonIn(ready))
  return {
    at,
    own: countIn(objectIn(replica).lagRecords) ?? countIn(objectIn(worker).lagRecords),
    replicas: replicas.length === 0 ? undefined : Math.max(...replicas.map(({ lagRecords }) => lagRecords)),
    unstored: countIn(writerLagBlocks),
  }
}

/** The samples with another one; bounded, the oldest leave. */
export function withSample(samples: readonly LagSample[], sample: LagSample): readonly LagSample[] {
  return samples.at(-1)?.at === sample.at ? samples : [...samples, sample].slice(-MAX_SAMPLES)
}

/** Times in Unix seconds and values, as uPlot draws them. */
export function lagSeries(
  samples: readonly LagSample[],
  names: readonly ('own' | 'replicas' | 'unstored')[],
): readonly (readonly (number | null)[])[] {
  return [samples.map(({ at }) => at / 1_000), ...names.map((name) => samples.map((sample) => sample[name] ?? null))]
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
