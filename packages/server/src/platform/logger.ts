import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = Pick<
  PinoLogger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level' | 'isLevelEnabled'
>

/** Fields that never reach a log, wherever they are nested and however often the JSON is quoted. */
const SECRET_FIELDS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api_key',
  'apiKey',
  'bearer',
  'signature',
  'permit_signature',
  'delegation_signature',
  'authorization_signature',
  'curve_root_signatures',
  'raw_tx',
  'raw_txs',
  'rawTx',
  'webhook_secret',
  'webhookSecret',
  'secret',
  'passphrase',
  'password',
  'private_key',
  'privateKey',
  'mnemonic',
]
const BY_NAME = new RegExp(
  `(\\\\*"(?:${SECRET_FIELDS.join('|')})\\\\*"\\s*:\\s*)(\\\\*"(?:[^"\\\\]|\\\\+[^"\\\\]|\\\\\\\\)*\\\\*"|\\[[^\\]]*\\]|\\{[^}]*\\})`,
  'gi',
)
/** Secrets known by their shape: API keys, bearer tokens, and hex as long as a signature or a transaction. */
const BY_SHAPE: [RegExp, string][] = [
  [/pit_w_[A-Za-z0-9_-]+/g, 'pit_w_[redacted]'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer [redacted]'],
  [/0x[0-9a-fA-F]{130,}/g, '0x[redacted]'],
  [/(\b(?:redis|rediss|postgres|postgresql|https?):\/\/[^\s:@/"\\]*):[^\s@/"\\]+@/gi, '$1:[redacted]@'],
]

/** Takes secrets out of a finished log line: whatever path they took to get there. */
export function redact(line: string): string {
  let clean = line.replace(BY_NAME, '$1"[redacted]"')
  for (const [shape, instead] of BY_SHAPE) clean = clean.replace(shape, instead)
  return clean
}

export function createLogger({
  level,
  destination,
}: {
  level: string
  destination?: DestinationStream
}): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
      hooks: { streamWrite: redact },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  )
}
