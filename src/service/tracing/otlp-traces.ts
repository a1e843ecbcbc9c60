import { hostname } from 'node:os'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Clock } from '../../node/core/clock.ts'
import { inTime } from '../../node/core/deadline.ts'
import { redactedUrl, withoutCredentials } from '../../primitives/text/url-credentials.ts'
import type { SpanWriter } from './span.ts'
import { TransactionTraces } from './transaction-traces.ts'

/** Path of traces below the URL of a collector (OpenTelemetry Protocol Exporter, "Endpoint URLs for OTLP/HTTP"). */
const TRACES_PATH = '/v1/traces'
/** Milliseconds between exports. */
const EXPORT_INTERVAL_MS = 1_000
/** Finished spans in memory; further ones are dropped. A send has about eight. */
const MAX_WAITING_SPANS = 16_384
/** Milliseconds that stopping waits for the last export. */
const STOP_LIMIT_MS = 2_000

export interface OtlpOptions {
  /** Base URL of the collector. */
  readonly endpoint: string
  /** Share of the traces that begin here, 0 to 1; a client's `traceparent` decides about its own. */
  readonly sampleRatio: number
  /** Version of Tickertape. */
  readonly version: string
  readonly network: string
  /** Name of this process among those of the node; absent when there is only one. */
  readonly process: string | undefined
}

export interface OpenTraces {
  readonly traces: TransactionTraces
  /** Exports the remaining spans. */
  close(): Promise<void>
}

/** Exports traces to a collector over OTLP/HTTP. This module loads the OpenTelemetry SDK: import it on demand. */
export function openTraces(
  options: OtlpOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): OpenTraces {
  const { endpoint, sampleRatio, version, network, process } = options
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': 'tickertape',
        'service.version': version,
        'host.name': hostname(),
        'tickertape.network': network,
        ...(process !== undefined && { 'tickertape.process': process }),
      }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingExporter(endpoint, log),
        scheduledDelayMillis: EXPORT_INTERVAL_MS,
        maxQueueSize: MAX_WAITING_SPANS,
      }),
    ],
  })
  const traces = new TransactionTraces({ spans: spanWriter(provider.getTracer('tickertape', version)), clock })
  return {
    traces,
    async close() {
      traces.close()
      // The exporter has logged why it fails.
      const shutdown = provider.shutdown().catch(() => undefined)
      await inTime(shutdown, STOP_LIMIT_MS, clock, () => undefined)
    },
  }
}

/** @example tracesUrl('http://user:pass@collector:4318') // http://collector:4318/v1/traces */
function tracesUrl(target: URL): string {
  const path = target.pathname.replace(/\/+$/, '')
  return new URL(`${path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH}${target.search}`, target).href
}

/** An exporter that logs when exports begin to fail and when they succeed again, without secrets of the URL. */
function reportingExporter(endpoint: string, log: Logger): SpanExporter {
  const { target, authorization } = withoutCredentials(endpoint)
  const exporter = new OTLPTraceExporter({
    url: tracesUrl(target),
    ...(authorization !== undefined && { headers: { authorization } }),
  })
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result
        if (error !== undefined && !isFailing) {
          const details = { collector: redactedUrl(endpoint), ...('code' in error && { code: error.code }) }
          log.warn(details, 'traces cannot be exported and are dropped: check --otlp-endpoint and the collector')
        }
        if (error === undefined && isFailing) log.info('traces are exported again')
        isFailing = error !== undefined
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

function spanWriter(tracer: Tracer): SpanWriter {
  return {
    write({ name, start, end, parent, isServer, error, attributes = {} }) {
      const around =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId: parent.traceId,
              spanId: parent.spanId,
              traceFlags: parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
              isRemote: isServer,
            })
      const kind = isServer ? SpanKind.SERVER : SpanKind.INTERNAL
      const span = tracer.startSpan(name, { startTime: start, kind, attributes }, around)
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
      span.end(end)
      const { traceId, spanId, traceFlags } = span.spanContext()
      return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
    },
  }
}
