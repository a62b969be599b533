export { createLogger, type Logger } from './logger.ts'
export { createMetrics, type Metrics, serveMetrics } from './metrics.ts'
