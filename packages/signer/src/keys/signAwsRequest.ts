import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  accessKeyId: string
  secretKey: string
  sessionToken: string | null
}

/** A POST to an AWS service. `target` names the call, as X-Amz-Target has it. */
export interface AwsRequest {
  url: URL
  service: string
  region: string
  target: string
  body: string
  atMs: number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The key of one day, region and service, made from the secret. */
export const signingKey = (
  secretKey: string,
  { date, region, service }: { date: string; region: string; service: string },
): Buffer => hmac(hmac(hmac(hmac(`AWS4${secretKey}`, date), region), service), 'aws4_request')

/** The headers of the request, signed by AWS Signature Version 4. */
export function signAwsRequest(
  { url, service, region, target, body, atMs }: AwsRequest,
  { accessKeyId, secretKey, sessionToken }: AwsCredentials,
): Record<string, string> {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const headers: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.1',
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken !== null && { 'x-amz-security-token': sessionToken }),
    'x-amz-target': target,
  }
  const names = Object.keys(headers)
  const signed = names.join(';')
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = `POST\n${url.pathname}\n\n${lines}\n${signed}\n${sha256(body)}`
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = signingKey(secretKey, { date, region, service })
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return {
    ...headers,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, ` +
      `SignedHeaders=${signed}, Signature=${signature}`,
  }
}
