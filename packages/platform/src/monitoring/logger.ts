import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = Pick<
  PinoLogger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level' | 'isLevelEnabled'
>

/** Fields that are never logged, at any depth and level of JSON quoting. */
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
const NAMES = SECRET_FIELDS.join('|')
const IS_SECRET = new RegExp(`^(?:${NAMES})$`, 'i')
/** `"name": "value"` somewhere in a text, quoted plainly or with backslashes. */
const QUOTED = new RegExp(`("(?:${NAMES})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gis')
const QUOTED_TWICE = new RegExp(
  `((?<!\\\\)\\\\+"(?:${NAMES})\\\\+"\\s*:\\s*\\\\+").*?((?<!\\\\)\\\\+"|$)`,
  'gis',
)
/** Secrets recognised by shape: API keys, bearer tokens, and hex as long as a signature or a transaction. */
const BY_SHAPE: [RegExp, string][] = [
  [/pit_w_[A-Za-z0-9_-]+/g, 'pit_w_[redacted]'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer [redacted]'],
  [/0x[0-9a-fA-F]{130,}/g, '0x[redacted]'],
  [/(\b(?:rediss?|postgres(?:ql)?|https?):\/\/[^\s:@/"\\]*):[^\s@/"\\]+@/gi, '$1:[redacted]@'],
]
const SUSPICIOUS = new RegExp(`"(?:${NAMES})\\\\*"|pit_w_|bearer|0x[0-9a-f]{130}|://[^\\s/]*@`, 'i')
const REDACTED = '[redacted]'

/** Redacts secrets in a finished log line, however they got there. */
export function redact(line: string): string {
  if (!SUSPICIOUS.test(line)) return line
  try {
    return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`
  } catch {
    return redactText(line)
  }
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redactText(name),
      IS_SECRET.test(name) ? REDACTED : redactValue(inner),
    ]),
  )
}

function redactText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text
  if (/^[[{]/.test(text)) {
    try {
      return JSON.stringify(redactValue(JSON.parse(text)))
    } catch {
      // Not JSON: the patterns below still apply.
    }
  }
  let clean = text.replace(QUOTED, `$1"${REDACTED}"`).replace(QUOTED_TWICE, `$1${REDACTED}$2`)
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
