export { BarChart, Legend, Lengths, Sparkline } from './charts.tsx'
export { EquityChart } from './EquityChart.tsx'
export { PriceChart } from './PriceChart.tsx'
export type { Candle, Fill, Line, Marker, Point } from './types.ts'
