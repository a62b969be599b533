// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPoolManager, PoolKey} from "../interfaces/IUniswap.sol";
import {HookBase} from "./HookBase.sol";

/// @title Sets its pools' fee, at their start and whenever its operator likes, and changes no amount.
/// @notice Flag: AFTER_INITIALIZE (bit 12). The fee stands in the pool's slot0; no log of the pool manager tells it.
contract DynamicFeeHook is HookBase {
    error OnlyOperator();

    uint24 public immutable firstFee;
    address public immutable operator;

    constructor(IPoolManager poolManager_, address operator_, uint24 firstFee_) HookBase(poolManager_) {
        (operator, firstFee) = (operator_, firstFee_);
    }

    function afterInitialize(address, PoolKey calldata key, uint160, int24) external onlyPoolManager returns (bytes4) {
        poolManager.updateDynamicLPFee(key, firstFee);
        return this.afterInitialize.selector;
    }

    function setFee(PoolKey calldata key, uint24 fee) external {
        if (msg.sender != operator) revert OnlyOperator();
        poolManager.updateDynamicLPFee(key, fee);
    }
}
