// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The launchpad's curve: constant product over reserves that include a virtual part.
/// @notice `x` is the pair side (virtual + real), `y` the token side. Every rounding favours the curve, so x * y
/// never falls and no round trip makes money. Taxes are one floor over their sum; the net of a gross amount `g` at
/// `t` basis points is g - floor(g * t / 10000).
library CurveMath {
    uint256 internal constant BPS = 10_000;

    /// @notice Tokens for a net pair amount.
    function tokensOut(uint256 x, uint256 y, uint256 net) internal pure returns (uint256) {
        return y * net / (x + net);
    }

    /// @notice Pair amount, before tax, for tokens.
    function pairOut(uint256 x, uint256 y, uint256 tokens) internal pure returns (uint256) {
        return x * tokens / (y + tokens);
    }

    /// @notice The least net pair amount that buys `tokens`.
    function netFor(uint256 x, uint256 y, uint256 tokens) internal pure returns (uint256) {
        return (x * tokens + (y - tokens) - 1) / (y - tokens);
    }

    /// @notice The least gross amount whose net is exactly `net`.
    function grossFor(uint256 net, uint256 taxBps) internal pure returns (uint256) {
        return net == 0 ? 0 : (net - 1) * BPS / (BPS - taxBps) + 1;
    }

    function tax(uint256 gross, uint256 taxBps) internal pure returns (uint256) {
        return gross * taxBps / BPS;
    }
}
