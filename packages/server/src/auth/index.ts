export { openAuth } from './openAuth.ts'
