// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPoolManager, PoolKey, SwapParams} from "../interfaces/IUniswap.sol";
import {HookBase} from "./HookBase.sol";

/// @title Takes a part of what every swap gives, outside the pool's fee, as most hooks of the real chain do.
/// @notice Flags: AFTER_SWAP (bit 6), AFTER_SWAP_RETURNS_DELTA (bit 2).
contract SkimmingHook is HookBase {
    uint256 public immutable skimBps;

    constructor(IPoolManager poolManager_, uint256 skimBps_) HookBase(poolManager_) {
        skimBps = skimBps_;
    }

    receive() external payable {}

    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata)
        external
        onlyPoolManager
        returns (bytes4, int128)
    {
        // The unspecified side is what an exact-input swap gives, or what an exact-output swap asks for.
        bool exactInput = params.amountSpecified < 0;
        bool unspecifiedIsOne = exactInput == params.zeroForOne;
        int128 amount = unspecifiedIsOne ? int128(delta) : int128(delta >> 128);
        uint256 skim = uint256(uint128(amount < 0 ? -amount : amount)) * skimBps / 10_000;
        poolManager.take(unspecifiedIsOne ? key.currency1 : key.currency0, address(this), skim);
        return (this.afterSwap.selector, int128(uint128(skim)));
    }
}
